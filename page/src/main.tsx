import {render} from 'preact';

import {App} from './app';
import {answerFrom, follow, hasToken, shareToken, takeToken} from './api';
import {link, read, replace} from './router';
import {readSaved} from './saved';
import {readEarly} from './turns';

const root = document.getElementById('app')!;

function serve(): void {
  takeToken();
  const first = read();
  if (hasToken() && first.path[0] === 'session' && first.path[1]) readEarly(first.path[1], Number(first.query.get('at') ?? 0) || 0);
  const start = (): void => {
    render(<App/>, root);
    // What is shown first comes first.
    if (hasToken()) setTimeout(() => void follow(), 200);
  };
  shareToken(start);
  start();
}

async function showSaved(): Promise<void> {
  try {
    const saved = await readSaved();
    if (!saved) return;
    answerFrom(saved);
    if (!read().path[0]) replace(link('session', saved.start));
    render(<App/>, root);
  } catch (why) {
    root.textContent = `The data of this page cannot be read: ${String(why)}`;
  }
}

if (document.getElementById('saved')) void showSaved();
else serve();
