#include "atlas/shape.hpp"

#include <cstdlib>
#include <iostream>

namespace atlas {

void fail(const char *what, int line) {
    std::cerr << line << ": " << what << '\n';
    std::abort();
}

std::ostream &operator<<(std::ostream &out, const Point &p) {
    return out << '(' << p.x << ", " << p.y << ')';
}

namespace {
double square(double v) { return v * v; }

int shapes_made = 0;
}  // namespace

Shape::Shape(std::string name, Layer layer) : name_(std::move(name)), layer_(layer) {
    shapes_made++;
}

Box Shape::bounds() const { return {origin_, origin_}; }

Circle::Circle(double radius) : Shape(detail::Label<Circle>::get()), radius_(radius) {
    ATLAS_ASSERT(radius >= 0);
}

double Circle::area() const { return kTau / 2 * square(radius_); }

Box Circle::bounds() const {
    Box box = Shape::bounds();
    const Point reach{radius_, radius_};
    box.max = box.max + reach;
    box.min = box.min + reach * -1;
    return box;
}

void Circle::accept(Visitor &visitor) const { visitor.visit(*this); }

void Square::accept(Visitor &visitor) const { visitor.visit(*this); }

}  // namespace atlas
