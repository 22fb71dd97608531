import { Queue } from '../../src/queue.js';

export function filled(...jobs) {
  const queue = new Queue();
  for (const [name, priority] of jobs) queue.push(name, priority);
  return queue;
}

export function drain(queue) {
  const names = [];
  while (queue.size > 0) names.push(queue.pop());
  return names;
}
