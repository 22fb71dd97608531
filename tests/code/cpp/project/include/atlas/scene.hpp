#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "atlas/shape.hpp"

namespace atlas {

typedef std::unique_ptr<Shape> ShapePtr;

class Group : public Shape {
public:
    using List = std::vector<ShapePtr>;

    using Shape::Shape;

    void add(ShapePtr shape);
    void add(double x, double y, ShapePtr shape);

    double area() const override;
    void accept(Visitor &visitor) const override;
    const List &children() const { return children_; }

    friend bool same_size(const Group &a, const Group &b);

private:
    List children_;
};

class Scene {
public:
    struct Stats {
        std::size_t count = 0;
        double area = 0;

        double mean() const { return count ? area / static_cast<double>(count) : 0; }
    };
    using Filter = std::function<bool(const Shape &)>;

    static Scene &instance();

    Group &root() { return root_; }
    Stats stats(const Filter &keep = {}) const;

    template <typename T, typename... Args>
    T &emplace(Args &&...args) {
        auto made = std::make_unique<T>(std::forward<Args>(args)...);
        T &ref = *made;
        root_.add(std::move(made));
        return ref;
    }

private:
    Scene() = default;

    Group root_{"root"};
};

bool same_size(const Group &a, const Group &b);

}  // namespace atlas
