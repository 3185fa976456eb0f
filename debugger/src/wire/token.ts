/**
 * The token of this tab. It comes in the fragment of the address (`#token=...`), which no browser sends anywhere, is taken out of the address at once, and is kept
 * as long as the tab.
 */
const place = 'axle-token';

/** Takes a token that the address carries; called once, before anything else looks at the address. */
export function takeTokenFromAddress(): void {
  const { hash } = window.location;
  const token = new URLSearchParams(hash.slice(1)).get('token');
  if (token === null) return;
  window.sessionStorage.setItem(place, token);
  window.history.replaceState(window.history.state, '', window.location.pathname + window.location.search);
}

/** The header that a request carries. */
export function authorization(): Record<string, string> {
  const token = window.sessionStorage.getItem(place);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

export function keepToken(token: string): void {
  window.sessionStorage.setItem(place, token);
}
