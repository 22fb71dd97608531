'use strict';

const fs = require('node:fs');
const path = require('node:path');

exports.fixture = (name) => fs.readFileSync(path.join(__dirname, '..', 'fixtures', name), 'utf8');
