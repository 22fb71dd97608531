export type Listener<T> = (value: T) => void;

/** Tells its listeners about new values. */
export class Signal<T> {
  #listeners: Listener<T>[] = [];

  on(listener: Listener<T>): () => void {
    this.#listeners.push(listener);
    return () => this.off(listener);
  }

  off(listener: Listener<T>): void {
    this.#listeners = this.#listeners.filter((known) => known !== listener);
  }

  emit(value: T): void {
    for (const listener of this.#listeners) listener(value);
  }
}

export namespace Trace {
  export const lines: string[] = [];

  export interface Options {
    prefix: string;
  }

  export function write(text: string, { prefix }: Options = { prefix: '>' }): void {
    lines.push(`${prefix} ${text}`);
  }
}

type Method<This, Args extends unknown[], Result> = (this: This, ...args: Args) => Result;

export function logged<This, Args extends unknown[], Result>(
  method: Method<This, Args, Result>,
  context: ClassMethodDecoratorContext,
): Method<This, Args, Result> {
  return function (this: This, ...args: Args): Result {
    Trace.write(String(context.name));
    return method.apply(this, args);
  };
}

export async function* ticks(every: number): AsyncGenerator<number> {
  for (let count = 0; ; count++) {
    await new Promise((wake) => setTimeout(wake, every));
    yield count;
  }
}
