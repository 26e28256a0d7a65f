/**
 * Page sizes to try, largest first. The reference does not state the largest page size. For a size that is too large, the
 * API only answers "invalid".
 */
export const PAGE_SIZES = [100, 50, 25, 10] as const;
