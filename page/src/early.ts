// Asks for the first turns of the session that the address names, while the page's program is still on its way.
import {hasToken, takeToken} from './api';
import {positionIn, read} from './router';
import {readEarly} from './turns';

takeToken();
const {path: [view, what], query} = read();
if (hasToken() && view === 'session' && what) readEarly(what, positionIn(query));
