// Where a list is scrolled to. Its rows get their true heights as they are drawn, and a browser lays out some 17
// million pixels at most. So the list is scrolled in a space of its own. While nobody scrolls, the space is as high
// as the list, or as high as a space may be; while somebody does, neither its height nor its place is touched: a
// scroll bar that is held would lose its way.
const kSpace = 8_000_000;

export class Scroll {
  top = 0;  // The distance of the window from the beginning of the list.
  space = 0;
  private put = 0;  // The browser's place in the space.
  private isMoving = false;

  constructor(private readonly isFar: (step: number) => boolean) {}

  // The place in the space of a distance in the list.
  at(distance: number): number {
    return distance - this.top + this.put;
  }

  // The browser scrolled. Returns how far the list moved.
  scrolled(box: HTMLElement, total: number): number {
    const list = Math.max(0, total - box.clientHeight);
    const space = this.space - box.clientHeight;
    const before = this.top;
    const step = box.scrollTop - this.put;
    if (step === 0) return 0;
    this.isMoving = true;
    this.top = clamp(this.isFar(step) ? other(box.scrollTop, space, list) : this.top + step * pace(step, this.put, space, this.top, list), list);
    this.put = box.scrollTop;
    return this.top - before;
  }

  // What is at a distance from the beginning is at the upper edge now.
  to(box: HTMLElement, top: number, total: number): void {
    const list = Math.max(0, total - box.clientHeight);
    this.top = clamp(top, list);
    if (this.isMoving) {
      // Rows above became higher, or those below did at the end of the space.
      if (this.put >= this.space - box.clientHeight - 1) this.top = list;
      else if (this.put <= 0) this.top = 0;
      return;
    }
    this.space = Math.min(total, kSpace);
    (box.firstElementChild as HTMLElement).style.height = `${this.space}px`;
    const place = other(this.top, list, Math.max(0, this.space - box.clientHeight));
    if (Math.abs(box.scrollTop - place) >= 1) box.scrollTop = place;
    this.put = box.scrollTop;
  }

  // Nobody scrolls any more, or the page goes to another place. Returns whether somebody did.
  rest(): boolean {
    const was = this.isMoving;
    this.isMoving = false;
    return was;
  }
}

const clamp = (top: number, most: number): number => Math.max(0, Math.min(top, most));

// At both ends a pixel of one is a pixel of the other; the places between are in proportion.
const endOf = (a: number, b: number): number => Math.min(a, b) / 4;

// The place in `to` pixels that belongs to one in `from` pixels.
function other(place: number, from: number, to: number): number {
  const end = endOf(from, to);
  if (place <= end) return place;
  if (from - place <= end) return to - (from - place);
  return end + (place - end) * ((to - 2 * end) / (from - 2 * end));
}

// How far the list moves with a pixel of the space. Near an end both arrive there together.
function pace(step: number, place: number, space: number, top: number, list: number): number {
  const left = step > 0 ? space - place : place;
  const leftOfList = step > 0 ? list - top : top;
  return left > 0 && left < endOf(space, list) ? leftOfList / left : 1;
}
