// Stacked bars over days, as SVG.
import type {JSX} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';

export interface Series {
  name: string;
  values: number[];
}

export function useWidth(): [import('preact').RefObject<HTMLDivElement | null>, number] {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const watch = new ResizeObserver((entries) => setWidth(Math.floor(entries[0]!.contentRect.width)));
    watch.observe(ref.current!);
    return () => watch.disconnect();
  }, []);
  return [ref, width];
}

export function niceTop(value: number): number {
  if (value <= 0) return 1;
  const size = 10 ** Math.floor(Math.log10(value));
  for (const step of [1, 1.5, 2, 3, 4, 5, 7.5, 10]) if (step * size >= value) return step * size;
  return 10 * size;
}

export function Bars({days, series, show, label}: {days: string[]; series: Series[]; show: (value: number) => string; label: string}): JSX.Element {
  const [ref, width] = useWidth();
  const [at, setAt] = useState(-1);
  const height = 120;
  const left = 44;
  const bottom = 18;
  const sums = days.map((_, i) => series.reduce((sum, each) => sum + (each.values[i] ?? 0), 0));
  const top = niceTop(Math.max(...sums, 0));
  const step = days.length ? (width - left) / days.length : 0;
  const bar = Math.max(1, Math.min(28, step * 0.72));
  const y = (value: number): number => 6 + (height - bottom - 6) * (1 - value / top);
  // As many dates as fit.
  const every = Math.max(1, Math.ceil(74 / Math.max(step, 1)));
  return (
    <div class="plot" ref={ref}>
      <svg width={width} height={height} role="img" aria-label={label} onMouseLeave={() => setAt(-1)}
        onMouseMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          const found = Math.floor((event.clientX - box.left - left) / step);
          setAt(found >= 0 && found < days.length ? found : -1);
        }}>
        {[0, 0.5, 1].map((part) => (
          <g>
            <line class="grid" x1={left} x2={width} y1={y(top * part)} y2={y(top * part)}/>
            <text class="tick" x={left - 6} y={y(top * part) + 4} text-anchor="end">{show(top * part)}</text>
          </g>))}
        {days.map((name, i) => {
          const x = left + i * step + (step - bar) / 2;
          let sum = 0;
          return (
            <g class={at >= 0 && at !== i ? 'dim' : ''}>
              {series.map((each, k) => {
                const value = each.values[i] ?? 0;
                if (value <= 0) return null;
                const low = y(sum);
                sum += value;
                return <rect class={`s${k % 8}`} x={x} width={bar} y={y(sum)} height={Math.max(0.5, low - y(sum))}/>;
              })}
              {i % every === 0 && left + i * step + 70 <= width + 30
                ? <text class="tick" x={left + i * step} y={height - 4}>{name.slice(days[0]!.slice(0, 4) === days[days.length - 1]!.slice(0, 4) ? 5 : 2)}</text> : null}
            </g>);
        })}
      </svg>
      <div class="legend" aria-hidden="true">
        {at >= 0 ? <span class="when">{days[at]} · {show(sums[at]!)}</span> : null}
        {series.map((each, k) => (
          <span class="key"><i class={`s${k % 8}`}/>{each.name} <b>{show(at >= 0 ? each.values[at] ?? 0
            : each.values.reduce((a, b) => a + b, 0))}</b></span>))}
      </div>
    </div>
  );
}
