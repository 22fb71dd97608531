#include <iostream>

#include "atlas/scene.hpp"

namespace geo = atlas::detail;
using namespace atlas;
using atlas::Scene;

static constexpr int kSide = 4;

extern "C" int atlas_version() { return ATLAS_VERSION; }

int main() {
    auto &scene = Scene::instance();
    scene.emplace<Square>(kSide);
    scene.root().add(1.0, 2.0, std::make_unique<Circle>(2.5));

    const auto in_sky = [](const Shape &shape) { return shape.layer() == Layer::Sky; };
    const Scene::Stats sky = scene.stats(in_sky);
    const int main = clamp(atlas_version(), 1, 9);

    Square tile(2);
    const Circle &round = Circle::unit();
    std::cout << sky.mean() << ' ' << tile.area() << ' ' << tile.name() << ' '
              << geo::sum_areas(tile, round) << ' ' << tile.bounds().centre() << '\n';
    return main > 9;
}
