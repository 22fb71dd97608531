#include <cassert>

#include "../include/atlas/scene.hpp"

namespace {

struct Fixture {
    atlas::Group group{"fixture"};

    Fixture() { group.add(std::make_unique<atlas::Square>(3)); }
};

void test_group_adds_areas() {
    Fixture fixture;
    fixture.group.add(0, 0, std::make_unique<atlas::Square>(4));
    assert(fixture.group.area() == 25);
}

void test_box_contains_its_centre() {
    const atlas::Box box{{0, 0}, {2, 4}};
    assert(box.contains(box.centre()));
    assert(atlas::clamp(7, 0, 5) == 5);
}

}  // namespace

int main() {
    test_group_adds_areas();
    test_box_contains_its_centre();
}
