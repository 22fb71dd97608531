/** Jobs by priority; equal ones in the order they came. */
export class Queue {
  #jobs = [];

  push(name, priority = 0) {
    const at = this.#jobs.findIndex((job) => job.priority < priority);
    this.#jobs.splice(at < 0 ? this.#jobs.length : at, 0, { name, priority });
  }

  pop() {
    return this.#jobs.shift()?.name;
  }

  get size() {
    return this.#jobs.length;
  }
}
