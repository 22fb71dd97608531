'use strict';

const a = require('./loop-a');

exports.pong = () => a.ping();
Object.assign(exports, a);
