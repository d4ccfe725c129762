import {render} from 'preact';

import {App} from './app';
import {answerFrom, hasToken, shareToken, takeToken} from './api';
import {follow} from './live';
import {link, read, replace} from './router';
import {readSaved} from './saved';

const root = document.getElementById('app')!;

function serve(): void {
  takeToken();
  const start = (): void => {
    render(<App/>, root);
    // What is shown first comes first.
    if (hasToken()) setTimeout(follow, 200);
  };
  shareToken(start);
  // The address of a command that was started again, in a tab that is open.
  addEventListener('hashchange', () => { if (takeToken()) location.reload(); });
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
