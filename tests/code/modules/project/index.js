'use strict';

module.exports = require('./lib/kiosk');
