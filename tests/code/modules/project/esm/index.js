export { default as Menu, dishes as meals } from './menu.js';
export * from './kitchen.js';
export * as money from './money.js';
export { default } from './menu.js';
