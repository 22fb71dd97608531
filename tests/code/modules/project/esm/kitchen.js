export function cook(dish) {
  const { time } = dish;
  return wait(time);
}

export class Oven {
  heat(dish) {
    return this.door(() => dish);
  }

  door(fn) {
    return fn();
  }
}

const wait = (time) => time;

Oven.prototype.clean = function () {
  return this.door(wait);
};
