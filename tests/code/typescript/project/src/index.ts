import View from './ui/BoardView';
import { open as openStore } from './store';
import { ticks, Trace } from './util/events';

export { View };
export { fullest } from './store';
export * as model from './model';

export const title = View.name;

export async function watch(path: string): Promise<never> {
  const store = openStore(path);
  for await (const tick of ticks(1000)) {
    const board = await store.load();
    Trace.write(`${tick}: ${board.columns.length}`);
  }
  throw new Error('the clock stopped');
}

export async function lazily(): Promise<typeof View> {
  const { default: view } = await import('./ui/BoardView');
  return view;
}
