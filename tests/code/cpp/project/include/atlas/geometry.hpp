#pragma once

#include <ostream>

#define ATLAS_VERSION 3
#define ATLAS_ASSERT(cond) ((cond) ? (void)0 : ::atlas::fail(#cond, __LINE__))

namespace atlas {

[[noreturn]] void fail(const char *what, int line);

inline constexpr double kTau = 6.283185307179586;

template <typename T>
struct Vec2 {
    T x{};
    T y{};

    constexpr Vec2() = default;
    constexpr Vec2(T x, T y) : x(x), y(y) {}

    constexpr T dot(const Vec2 &other) const { return x * other.x + y * other.y; }
    constexpr Vec2 operator+(const Vec2 &o) const { return {x + o.x, y + o.y}; }
    constexpr Vec2 operator*(T k) const { return {x * k, y * k}; }
    bool operator==(const Vec2 &o) const = default;
};

using Point = Vec2<double>;
using Cell = Vec2<int>;

template <typename T>
constexpr T clamp(T v, T lo, T hi) {
    return v < lo ? lo : hi < v ? hi : v;
}

struct Box {
    Point min;
    Point max;

    bool contains(Point p) const;
    Point centre() const { return (min + max) * 0.5; }
};

inline bool Box::contains(Point p) const {
    return p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y;
}

std::ostream &operator<<(std::ostream &out, const Point &p);

}  // namespace atlas
