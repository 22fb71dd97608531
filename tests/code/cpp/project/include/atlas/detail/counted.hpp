#pragma once

namespace atlas::detail {

/// Counts how many of a kind are alive.
template <class Kind>
class Counted {
public:
    static int live() { return live_; }

protected:
    Counted() { ++live_; }
    ~Counted() { --live_; }

private:
    inline static int live_ = 0;
};

template <typename First, typename... Rest>
double sum_areas(const First &first, const Rest &...rest) {
    return (first.area() + ... + rest.area());
}

/// The name under which a kind is written out.
template <typename T>
struct Label {
    static const char *get() { return "shape"; }
};

}  // namespace atlas::detail
