'use strict';

const b = require('./loop-b');

exports.ping = () => b.pong();
Object.assign(exports, b);
