// One axis for time, tokens, cache reads and cost of a whole session, drawn on a canvas.
import type {JSX} from 'preact';
import {memo} from 'preact/compat';
import {useEffect, useLayoutEffect, useMemo, useRef, useState} from 'preact/hooks';

import type {Piece} from './api';
import {clock, day, duration, grouped, money, shortNumber} from './format';
import {useWidth} from './plot';

// A wait longer than this, for a person or for nothing, is drawn as long as this.
const kLongestGap = 20_000;

interface Place {
  x: number;
  w: number;
  piece: Piece;
}

// Places pieces on the axis by the time that models and tools took, with long waits cut short.
function placed(pieces: Piece[], width: number, byTime: boolean): Place[] {
  const spans = pieces.map((piece, i) => {
    if (!byTime) return piece.to - piece.from + 1;
    const own = piece.model_ms + piece.tool_ms;
    const before = pieces[i - 1]?.ended;
    const gap = before && piece.started ? Math.max(0, Date.parse(piece.started) - Date.parse(before)) : 0;
    return own + Math.min(Math.max(gap - own, 0), kLongestGap);
  });
  // Each turn keeps a hair, so that it can be seen and hit.
  const sum = spans.reduce((a, b) => a + b, 0) || 1;
  const least = Math.min(2, (width * 0.5) / Math.max(pieces.length, 1));
  const rest = width - least * pieces.length;
  let x = 0;
  return pieces.map((piece, i) => {
    const w = least + (spans[i]! / sum) * rest;
    const place = {x, w, piece};
    x += w;
    return place;
  });
}

// The turns on the screen. It changes with each step of a scroll, so it is drawn without rendering.
export interface Shown {
  from: number;
  to: number;
  changed: () => void;
}

interface Props {
  pieces: Piece[];
  position: number;
  view: Shown;
  seek: (position: number) => void;
}

export const Timeline = memo(function Timeline({pieces, position, view, seek}: Props): JSX.Element {
  const [ref, width] = useWidth();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<Place | null>(null);
  const [scheme, setScheme] = useState(0);
  const height = 76;
  const hasTimes = pieces.some((piece) => piece.model_ms + piece.tool_ms > 0);
  const places = useMemo(() => placed(pieces, width, hasTimes), [pieces, width, hasTimes]);

  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const changed = (): void => setScheme((n) => n + 1);
    dark.addEventListener('change', changed);
    return () => dark.removeEventListener('change', changed);
  }, []);

  const xOf = (wanted: number): number => {
    let low = 0;
    let high = places.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (places[middle]!.piece.to < wanted) low = middle + 1;
      else high = middle;
    }
    const place = places[low];
    if (!place) return 0;
    const {from, to} = place.piece;
    return place.x + place.w * Math.min(1, Math.max(0, (wanted - from) / (to - from + 1)));
  };

  useEffect(() => {
    const paper = canvas.current;
    if (!paper || !width) return;
    const ratio = devicePixelRatio || 1;
    paper.width = width * ratio;
    paper.height = height * ratio;
    const draw = paper.getContext('2d')!;
    draw.scale(ratio, ratio);
    draw.clearRect(0, 0, width, height);
    const style = getComputedStyle(paper);
    const ink = (name: string): string => style.getPropertyValue(name).trim();
    const prompts = Math.max(1, ...pieces.map((piece) => piece.largest_prompt));
    const outputs = Math.max(1, ...places.map((place) => place.piece.output_tokens / place.w));
    const costs = Math.max(1e-9, ...places.map((place) => (place.piece.cost_usd ?? 0) / place.w));
    const lane = 40;  // Prompts above, and below it time, answers and what failed.
    // The size of the prompt: what a cache gave, and what it did not.
    for (const {x, w, piece} of places) {
      if (!piece.answers) continue;
      const sent = piece.input_tokens + piece.cache_read_tokens + piece.cache_write_tokens || 1;
      const high = (piece.largest_prompt / prompts) * (lane - 4);
      const cached = high * (piece.cache_read_tokens / sent);
      draw.fillStyle = ink('--cached');
      draw.fillRect(x, lane - cached, Math.max(w, 0.8), cached);
      draw.fillStyle = ink('--fresh');
      draw.fillRect(x, lane - high, Math.max(w, 0.8), high - cached);
    }
    // Time: models, then tools; without times each turn is as long as another.
    for (const {x, w, piece} of places) {
      if (!hasTimes && piece.answers + piece.calls) {
        draw.fillStyle = ink(piece.answers ? '--model' : '--tool');
        draw.fillRect(x, lane + 3, Math.max(w - 1, 0.6), 6);
      }
      const time = piece.model_ms + piece.tool_ms || 1;
      const model = w * (piece.model_ms / time);
      draw.fillStyle = ink('--model');
      if (piece.model_ms) draw.fillRect(x, lane + 3, model, 6);
      draw.fillStyle = ink('--tool');
      if (piece.tool_ms) draw.fillRect(x + model, lane + 3, Math.max(w - model, 0.6), 6);
    }
    // Tokens of the answers.
    draw.fillStyle = ink('--output');
    for (const {x, w, piece} of places) {
      const high = Math.sqrt(piece.output_tokens / w / outputs) * 14;
      if (high > 0) draw.fillRect(x, lane + 26 - high, Math.max(w - 0.3, 0.8), high);
    }
    // Cost, as a line.
    draw.strokeStyle = ink('--cost');
    draw.lineWidth = 1;
    draw.beginPath();
    let begun = false;
    for (const {x, w, piece} of places) {
      if (piece.cost_usd === null) continue;
      const y = lane + 26 - Math.sqrt(piece.cost_usd / w / costs) * 14;
      if (begun) draw.lineTo(x + w / 2, y);
      else draw.moveTo(x + w / 2, y);
      begun = true;
    }
    draw.stroke();
    // What failed, what was decided, where requests begin, if they can be told apart.
    const begins = pieces.filter((piece) => piece.requests).length;
    const fails = pieces.filter((piece) => piece.failed_calls + piece.failed_requests).length;
    for (const {x, w, piece} of places) {
      if (piece.requests && begins < width / 14) {
        draw.fillStyle = ink('--line-strong');
        draw.fillRect(Math.round(x), 0, 1, height);
      }
      const middle = x + w / 2;
      if (piece.compactions) mark(draw, middle, ink('--decision'), 'square');
      if (piece.decisions) mark(draw, middle, ink('--decision'), 'dot');
      const failures = piece.failed_calls + piece.failed_requests;
      if (failures && fails < width / 8) mark(draw, middle, ink('--failed'), 'dot');
      else if (failures) {
        const high = Math.min(8, 2 + failures * 1.5);
        draw.fillStyle = ink('--failed');
        draw.fillRect(x, height - 1 - high, Math.max(w - 0.3, 0.8), high);
      }
    }
  }, [places, width, scheme, hasTimes]);

  const hit = (clientX: number): Place | null => {
    const box = canvas.current!.getBoundingClientRect();
    const x = clientX - box.left;
    return places.find((place) => x < place.x + place.w) ?? places[places.length - 1] ?? null;
  };
  const positionAt = (clientX: number): number => {
    const place = hit(clientX);
    if (!place) return 0;
    const box = canvas.current!.getBoundingClientRect();
    const part = Math.min(0.999, Math.max(0, (clientX - box.left - place.x) / place.w));
    return place.piece.from + Math.floor(part * (place.piece.to - place.piece.from + 1));
  };
  const last = pieces[pieces.length - 1]?.to ?? 0;
  const pane = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    view.changed = () => {
      if (!pane.current) return;
      const left = xOf(view.from);
      pane.current.style.left = `${left}px`;
      pane.current.style.width = `${Math.max(2, xOf(view.to + 1) - left)}px`;
    };
    view.changed();
  });
  const total = (of: (piece: Piece) => number): number => pieces.reduce((sum, piece) => sum + of(piece), 0);
  const now = at?.piece;
  return (
    <div class="timeline" ref={ref}>
      <canvas ref={canvas} style={{height: `${height}px`}} role="slider" tabIndex={0} aria-label="Place in the session"
        aria-valuemin={0} aria-valuemax={last} aria-valuenow={position}
        aria-valuetext={`turn ${position} of ${last}`}
        onKeyDown={(event) => {
          const step = Math.max(1, Math.round(last / 100));
          const moves: Record<string, number> = {ArrowLeft: position - step, ArrowRight: position + step, Home: 0, End: last};
          const to = moves[event.key];
          if (to === undefined) return;
          event.preventDefault();
          seek(Math.max(0, Math.min(last, to)));
        }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          seek(positionAt(event.clientX));
        }}
        onPointerMove={(event) => {
          setAt(hit(event.clientX));
          if (event.buttons & 1) seek(positionAt(event.clientX));
        }}
        onPointerLeave={() => setAt(null)}/>
      <div class="window" ref={pane} aria-hidden="true"/>
      <div class="cursor" style={{left: `${xOf(position + 0.5)}px`}} aria-hidden="true"/>
      <p class="legend" aria-hidden="true">
        {now
          ? <>
              <b>{now.from === now.to ? `turn ${now.from}` : `turns ${now.from}–${now.to}`}</b>
              <span>{day(now.started)} {clock(now.started)}</span>
              {now.model_ms ? <span>model {duration(now.model_ms)}</span> : null}
              {now.tool_ms ? <span>tools {duration(now.tool_ms)}</span> : null}
              {now.largest_prompt ? <span>prompt {shortNumber(now.largest_prompt)}</span> : null}
              {now.output_tokens ? <span>out {shortNumber(now.output_tokens)}</span> : null}
              {now.cost_usd ? <span>{money(now.cost_usd)}</span> : null}
              {now.failed_calls ? <span class="failed">{grouped(now.failed_calls)} failed</span> : null}
            </>
          : <>
              <span class="key"><i class="k-cached"/>cached prompt</span>
              <span class="key"><i class="k-fresh"/>new prompt</span>
              <span class="key"><i class="k-model"/>model {duration(total((p) => p.model_ms))}</span>
              <span class="key"><i class="k-tool"/>tools {duration(total((p) => p.tool_ms))}</span>
              <span class="key"><i class="k-output"/>output {shortNumber(total((p) => p.output_tokens))}</span>
              <span class="key"><i class="k-cost"/>cost {money(total((p) => p.cost_usd ?? 0))}</span>
              <span class="key"><i class="k-failed"/>failed {grouped(total((p) => p.failed_calls + p.failed_requests))}</span>
            </>}
      </p>
    </div>
  );
});

function mark(draw: CanvasRenderingContext2D, x: number, colour: string, kind: 'dot' | 'square'): void {
  draw.fillStyle = colour;
  draw.beginPath();
  if (kind === 'dot') draw.arc(x, 71, 2.4, 0, 7);
  else draw.rect(x - 2.2, 68.8, 4.4, 4.4);
  draw.fill();
}
