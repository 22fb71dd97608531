'use strict';

exports.compileRoute = function (path) {
  return exports.tokens(path).map(escape);
};

exports.tokens = (path) => path.split('/');

exports.escape = function (text) {
  return encodeURIComponent(escape(text));
};

exports.fetch = async function (url) {
  return (await fetch(url)).json();
};
