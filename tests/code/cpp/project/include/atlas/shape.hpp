#pragma once

#include <string>
#include <string_view>

#include "atlas/detail/counted.hpp"
#include "geometry.hpp"

namespace atlas {

class Visitor;

enum class Layer : unsigned char { Ground, Middle = 4, Sky };

class Shape {
public:
    explicit Shape(std::string name, Layer layer = Layer::Ground);
    Shape(const Shape &) = delete;
    virtual ~Shape() = default;

    virtual double area() const = 0;
    virtual Box bounds() const;
    virtual void accept(Visitor &visitor) const = 0;

    const std::string &name() const noexcept { return name_; }
    Layer layer() const noexcept { return layer_; }

protected:
    Point origin_;

private:
    std::string name_;
    Layer layer_;
};

class Circle final : public Shape, private detail::Counted<Circle> {
public:
    explicit Circle(double radius);

    double area() const override;
    Box bounds() const override;
    void accept(Visitor &visitor) const override;

    static Circle unit() { return Circle(1.0); }
    using Counted<Circle>::live;

private:
    double radius_;
};

class Square : public Shape {
public:
    explicit Square(double side) : Shape("square"), side_(side) {}

    double area() const override { return side_ * side_; }
    void accept(Visitor &visitor) const override;

private:
    double side_;
};

class Visitor {
public:
    virtual ~Visitor() = default;
    virtual void visit(const Circle &circle) = 0;
    virtual void visit(const Square &square) = 0;
};

namespace detail {
template <>
struct Label<Circle> {
    static const char *get() { return "circle"; }
};
}  // namespace detail

}  // namespace atlas
