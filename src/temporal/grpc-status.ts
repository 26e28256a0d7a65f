/** Status codes of gRPC that a server of Temporal answers. */
export const INVALID_ARGUMENT = 3;
export const NOT_FOUND = 5;
export const PERMISSION_DENIED = 7;
export const FAILED_PRECONDITION = 9;
export const UNIMPLEMENTED = 12;
