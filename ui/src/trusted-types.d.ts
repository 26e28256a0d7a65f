interface Window {
  readonly trustedTypes?: {
    createPolicy(name: string, rules: { createHTML: (text: string) => string }): unknown;
  };
}
