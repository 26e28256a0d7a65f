/** Returns whether a host name (as URL writes it) means this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|(.+\.)?localhost|127(\.\d+){3}|\[::1\])$/i.test(hostname);
}
