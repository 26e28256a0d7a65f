/** Returns the first number of 0…n-1 for which a monotonic test is true, or n if there is none. */
export function lowerBound(n: number, holds: (i: number) => boolean): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
