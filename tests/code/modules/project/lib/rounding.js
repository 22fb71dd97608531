'use strict';

exports.round = (price) => Math.round(price * 100) / 100;
exports.ceil = (price) => Math.ceil(price);
