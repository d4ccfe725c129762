import {render} from 'preact';

import {App} from './app';
import {follow, hasToken, shareToken, takeToken} from './api';
import {read} from './router';
import {readEarly} from './turns';

takeToken();
const first = read();
if (hasToken() && first.path[0] === 'session' && first.path[1]) readEarly(first.path[1], Number(first.query.get('at') ?? 0) || 0);
const root = document.getElementById('app')!;
const start = (): void => {
  render(<App/>, root);
  // What is shown first comes first.
  if (hasToken()) setTimeout(() => void follow(), 200);
};
shareToken(start);
start();
