'use strict';

process.env.TZ = 'UTC';
