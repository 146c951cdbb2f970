/**
 * The sum of numbers, with what each addition loses added at the end (Neumaier): a hundred times 0.1 is 10. Beyond the
 * range of numbers, it is infinite.
 */
export const sum = (numbers: readonly number[]): number => {
  let total = 0;
  let lost = 0;
  for (const number of numbers) {
    const next = total + number;
    lost += Math.abs(total) >= Math.abs(number) ? total - next + number : number - next + total;
    total = next;
  }
  return Number.isFinite(total) ? total + lost : total;
};
