// Routes are in the fragment: `#/session/REV?at=12`.

export interface Route {
  path: string[];
  query: URLSearchParams;
}

export function read(hash = location.hash): Route {
  const text = hash.replace(/^#\/?/, '');
  const at = text.indexOf('?');
  const path = at < 0 ? text : text.slice(0, at);
  const [first = '', ...rest] = path.split('/');
  const decode = (word: string): string => {
    try {
      return decodeURIComponent(word);
    } catch {
      return word;
    }
  };
  return {
    path: rest.length ? [first, decode(rest.join('/'))] : [first],
    query: new URLSearchParams(at < 0 ? '' : text.slice(at + 1)),
  };
}

// The turn that a route of a session names.
export const positionIn = (query: URLSearchParams): number => Math.max(0, Math.floor(Number(query.get('at') ?? 0)) || 0);

export function link(view: string, what = '', query: Record<string, string | number | undefined> = {}): string {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') words.set(key, String(value));
  }
  const tail = words.toString();
  return `#/${view}` + (what ? '/' + encodeURIComponent(what).replace(/%2F/g, '/') : '') + (tail ? '?' + tail : '');
}

export function go(to: string): void {
  location.hash = to;
}

// Changes the address without a new entry in the history. A late change does not take one back to a view that was left.
export function replace(to: string): void {
  const here = read().path;
  if (here[0] && here.join('/') !== read(to).path.join('/')) return;
  history.replaceState(history.state, '', to);
}
