export * from './card';
export { Column as Lane, emptyColumn } from './column';
export type { Limits } from './column';
export { default as Board } from './board';
