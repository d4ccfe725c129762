// Numbers, times and names as the page shows them.

export function shortNumber(value: number): string {
  if (value < 1000) return String(Math.round(value));
  for (const [unit, size] of [['G', 1e9], ['M', 1e6], ['k', 1e3]] as const) {
    if (value >= size) {
      const shown = value / size;
      return (shown < 10 ? shown.toFixed(1) : String(Math.round(shown))) + unit;
    }
  }
  return String(value);
}

export const grouped = (value: number): string => value.toLocaleString('en-US');

export function money(value: number | null, isComplete = true): string {
  if (value === null) return '';
  const text = value === 0 ? '$0' : value < 0.01 ? '<$0.01' : '$' + value.toFixed(2);
  return (isComplete ? '' : '≥') + text;
}

export function duration(milliseconds: number | null): string {
  if (milliseconds === null) return '';
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 60) return `${minutes < 10 ? minutes.toFixed(1) : Math.round(minutes)} min`;
  const hours = minutes / 60;
  if (hours < 48) return `${hours < 10 ? hours.toFixed(1) : Math.round(hours)} h`;
  return `${Math.round(hours / 24)} d`;
}

const two = (value: number): string => String(value).padStart(2, '0');

export function clock(time: string | null): string {
  if (!time) return '';
  const at = new Date(time);
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

export function day(time: string | null): string {
  if (!time) return '';
  const at = new Date(time);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

export function ago(time: string | null, now = Date.now()): string {
  if (!time) return '';
  const seconds = (now - Date.parse(time)) / 1000;
  if (seconds < 0) return day(time);
  if (seconds < 60) return 'just now';
  for (const [unit, size, most] of [['min', 60, 60], ['h', 3600, 24], ['d', 86400, 14]] as const) {
    if (seconds / size < most) return `${Math.floor(seconds / size)} ${unit} ago`;
  }
  return day(time);
}

export const short = (hash: string | null): string => (hash ?? '').slice(0, 8);

export const folder = (path: string): string => path.split('/').filter(Boolean).pop() ?? '';

// Tells whether what a call is about is one file.
export const isFile = (target: string): boolean => /^[^\s{}]*\/[^\s{}]*\.[\w]+$/.test(target);

export const modelName = (name: string): string => name.replace(/-20\d{6}$/, '');

export function count(value: number, noun: string): string {
  return `${grouped(value)} ${noun}${value === 1 ? '' : 's'}`;
}
