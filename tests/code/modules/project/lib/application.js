'use strict';

const { resolve } = require('node:path');
const compile = require('./compile').compileRoute;
const Till = require('./till');

const app = exports = module.exports = {};

app.init = function init(options) {
  this.settings = {};
  this.till = new Till(options);
  this.defaults();
};

app.defaults = function () {
  this.set('root', resolve('.'));
};

app.set = function set(name, value) {
  this.settings[name] = value;
  return this;
};

app.use = function use(path, fn) {
  const route = compile(path);
  return Promise.resolve(route).then(fn);
};

app.mount = app.route = function (path) {
  return this.use(path, () => {});
};

app.handle = (request, reply) => {
  reply.send(request.path);
};
