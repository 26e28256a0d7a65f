/** Whether a place is a bucket (`s3://…`) and not a folder. */
export function isBucket(place: string): boolean {
  return place.startsWith('s3://');
}
