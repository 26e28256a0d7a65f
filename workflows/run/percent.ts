/** Formats a share from 0 to 1: `97.33 %`. Rounds down, so that only a full share shows as 100 %. */
export function percent(share: number): string {
  return `${Math.floor(share * 10_000) / 100} %`;
}
