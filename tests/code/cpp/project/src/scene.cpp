#include <atlas/scene.hpp>

#include <algorithm>

namespace atlas {

namespace {

/// Not the one of shape.cpp: this one tells whether a box is square.
bool square(const Box &box) {
    return box.max.x - box.min.x == box.max.y - box.min.y;
}

struct Tally : Visitor {
    Scene::Stats stats;

    void visit(const Circle &circle) override { note(circle); }
    void visit(const Square &square) override { this->note(square); }

    void note(const Shape &shape) {
        stats.count++;
        stats.area += shape.area();
    }
};

}  // namespace

void Group::add(ShapePtr shape) { children_.push_back(std::move(shape)); }

void Group::add(double x, double y, ShapePtr shape) {
    origin_ = Point(x, y);
    add(std::move(shape));
}

double Group::area() const {
    double total = 0;
    for (const auto &child : children_) total += child->area();
    return total;
}

void Group::accept(Visitor &visitor) const {
    for (const ShapePtr &child : children_) child->accept(visitor);
}

Scene &Scene::instance() {
    static Scene scene;
    return scene;
}

Scene::Stats Scene::stats(const Filter &keep) const {
    Tally tally;
    for (const auto &child : root_.children())
        if (!keep || keep(*child)) child->accept(tally);
    return tally.stats;
}

bool same_size(const Group &a, const Group &b) {
    const Box box{{0, 0}, {a.area(), b.area()}};
    return a.children_.size() == b.children_.size() && square(box);
}

}  // namespace atlas
