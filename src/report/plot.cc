#include "report/report.h"

#include <algorithm>

#include <fmt/format.h>

namespace spoor::report {
namespace {

constexpr double kWidth = 720, kHeight = 180;
constexpr double kLeft = 8, kRight = 8, kTop = 22, kBottom = 22;

double x_of(const SpentPoint& point, const SpentPoint& last) {
  const auto events = static_cast<double>(std::max<std::uint64_t>(last.event, 1));
  return kLeft + (kWidth - kLeft - kRight) * static_cast<double>(point.event) / events;
}

double y_of(double value, double most) {
  return kHeight - kBottom - (kHeight - kTop - kBottom) * (most > 0 ? value / most : 0);
}

// Draws a line that moves right, then up: sums never decrease.
template <class Value>
std::string steps_of(const std::vector<SpentPoint>& points, const Value& value) {
  const double most = value(points.back());
  std::string path = fmt::format("M{:.1f} {:.1f}", kLeft, y_of(0, most));
  for (const SpentPoint& point : points) {
    path += fmt::format("H{:.1f}V{:.1f}", x_of(point, points.back()), y_of(value(point), most));
  }
  return path;
}

}  // namespace

std::string spending_plot(const std::vector<SpentPoint>& points, bool has_cost) {
  if (points.size() < 2) return {};
  const SpentPoint& last = points.back();
  const auto tokens = [](const SpentPoint& point) { return static_cast<double>(point.tokens); };
  const auto cost = [](const SpentPoint& point) {
    return static_cast<double>(point.cost.nano_dollars);
  };
  std::string title = fmt::format("{} tokens", last.tokens);
  if (has_cost) title += ", $" + llm::dollars(last.cost);
  title += fmt::format(" over {} events", last.event + 1);

  std::string svg =
      fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"Spent: {}\">\n",
                  kWidth, kHeight, title);
  const double base = y_of(0, 1);
  svg += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", kLeft, base,
                     kWidth - kRight);
  for (const SpentPoint& point : points) {
    if (!point.is_bad) continue;
    svg +=
        fmt::format("<path class=\"failed\" d=\"M{:.1f} {:.1f}v6\"/>\n", x_of(point, last), base);
  }
  svg += fmt::format("<path class=\"tokens\" d=\"{}\"/>\n", steps_of(points, tokens));
  if (has_cost) svg += fmt::format("<path class=\"cost\" d=\"{}\"/>\n", steps_of(points, cost));
  svg += fmt::format("<text class=\"tokens\" x=\"{:.0f}\" y=\"14\">{} tokens</text>\n", kLeft,
                     last.tokens);
  if (has_cost) {
    svg +=
        fmt::format("<text class=\"cost\" x=\"{:.0f}\" y=\"14\" text-anchor=\"end\">${}</text>\n",
                    kWidth - kRight, llm::dollars(last.cost));
  }
  svg += fmt::format("<text class=\"axis\" x=\"{:.0f}\" y=\"{:.0f}\">event 1</text>\n", kLeft,
                     kHeight - 6);
  svg += fmt::format(
      "<text class=\"axis\" x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"end\">event {}</text>\n",
      kWidth - kRight, kHeight - 6, last.event + 1);
  return svg + "</svg>\n";
}

}  // namespace spoor::report
