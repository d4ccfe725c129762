// Where a list is scrolled to. A browser lays out some 17 million pixels at most, so a longer list is scrolled in a
// space that is shorter than it: steps move it as they are, and the ends are those of the list; the scroll bar
// reaches the places between in proportion.
const kSpace = 8_000_000;
const kEnd = kSpace / 4;  // At both ends of the space a pixel is one of the list.

export class Scroll {
  top = 0;  // The distance of the window from the beginning of the list.
  private shift = 0;  // What the list is further down than the browser says.
  private put = 0;

  constructor(private readonly isFar: (step: number) => boolean) {}

  space(total: number): number {
    return Math.min(total, kSpace);
  }

  // The place in the space of a distance in the list.
  at(distance: number): number {
    return distance - this.shift;
  }

  // The browser scrolled. Returns how far the list moved.
  scrolled(box: HTMLElement, total: number): number {
    const before = this.top;
    const step = box.scrollTop - this.put;
    this.put = box.scrollTop;
    if (total <= kSpace) this.shift = 0;
    else if (this.isFar(step)) this.shift = distanceAt(this.put, total) - this.put;
    this.top = this.put + this.shift;
    return this.top - before;
  }

  // Scrolls to a distance from the beginning.
  to(box: HTMLElement, top: number, total: number): void {
    const best = placeOf(top, total);
    const now = top - this.shift;
    const isAtEnd = now < kEnd / 2 || now > kSpace - kEnd / 2;
    if (isAtEnd || this.isFar(top - this.top)) this.shift = top - best;
    this.top = top;
    if (Math.abs(box.scrollTop - this.at(top)) >= 1) box.scrollTop = this.at(top);
    this.put = box.scrollTop;
  }
}

function placeOf(top: number, total: number): number {
  if (total <= kSpace || top < kEnd) return top;
  if (total - top < kEnd) return kSpace - (total - top);
  return kEnd + (top - kEnd) * ((kSpace - 2 * kEnd) / (total - 2 * kEnd));
}

function distanceAt(place: number, total: number): number {
  if (place < kEnd) return place;
  if (kSpace - place < kEnd) return total - (kSpace - place);
  return kEnd + (place - kEnd) * ((total - 2 * kEnd) / (kSpace - 2 * kEnd));
}
