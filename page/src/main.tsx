import {render} from 'preact';

import {App} from './app';
import {follow, hasToken, shareToken, takeToken} from './api';

takeToken();
const root = document.getElementById('app')!;
const start = (): void => {
  render(<App/>, root);
  if (hasToken()) void follow();
};
shareToken(start);
start();
