// Sums of row heights: a Fenwick tree, so that a height changes and a place is found in O(log n).
export class Offsets {
  private tree: Float64Array;
  private heights: Float32Array;
  private top: number;

  constructor(private n: number, private readonly usual: number) {
    this.tree = new Float64Array(0);
    this.heights = new Float32Array(0);
    this.top = 1;
    this.grow(n);
  }

  get length(): number {
    return this.n;
  }

  // Has `n` rows from now on. Keeps the known heights; new rows have the usual one.
  grow(n: number): void {
    const old = this.heights;
    this.n = n;
    this.heights = new Float32Array(n).fill(this.usual);
    this.heights.set(old.subarray(0, Math.min(old.length, n)));
    this.tree = new Float64Array(n + 1);
    for (let i = 1; i <= n; ++i) {
      this.tree[i]! += this.heights[i - 1]!;
      const next = i + (i & -i);
      if (next <= n) this.tree[next]! += this.tree[i]!;
    }
    this.top = 1;
    while (this.top * 2 <= n) this.top *= 2;
  }

  height(row: number): number {
    return this.heights[row] ?? this.usual;
  }

  // Returns by how much it changed.
  set(row: number, height: number): number {
    const change = height - this.heights[row]!;
    if (change === 0) return 0;
    this.heights[row] = height;
    for (let i = row + 1; i <= this.n; i += i & -i) this.tree[i]! += change;
    return change;
  }

  // The sum of the heights before `row`.
  before(row: number): number {
    let sum = 0;
    for (let i = Math.min(row, this.n); i > 0; i -= i & -i) sum += this.tree[i]!;
    return sum;
  }

  get total(): number {
    return this.before(this.n);
  }

  // The row at a distance from the top.
  at(distance: number): number {
    let row = 0;
    let left = distance;
    for (let step = this.top; step > 0; step >>= 1) {
      if (row + step <= this.n && this.tree[row + step]! <= left) {
        row += step;
        left -= this.tree[row]!;
      }
    }
    return Math.min(row, Math.max(0, this.n - 1));
  }
}
