import type { TakeTurn } from '../workflows/scope.ts';

/**
 * Lets evaluations go one after the other. They never wait for anything but the processor, so nobody gains by going
 * side by side; and none of them lets a timer fire, so that the time of the execution is looked at before each.
 * @param isTimeUp then those that have not begun are refused
 */
export const createTakeTurn = (isTimeUp: () => boolean): TakeTurn => {
  let open = 0;
  let last: Promise<unknown> = Promise.resolve();
  const leave = () => {
    open--;
  };
  return (evaluate) => {
    const begin = () =>
      isTimeUp() ? Promise.reject(new Error('the execution ran out of time')) : evaluate();
    const turn = open === 0 ? begin() : last.then(begin);
    open++;
    last = turn.then(leave, leave);
    return turn;
  };
};
