<?php

declare(strict_types=1);

namespace Hollow\Parcel\Carrier;

use Hollow\Parcel\Attribute\Serves;
use Hollow\Parcel\Model\{Letter, Parcel as Package};

#[Serves('SE', 'NO')]
class Post extends Queueing
{
    private const PER_KILO = 90;

    public int $stamps = 0;

    public function price(Package $parcel): int
    {
        if ($parcel instanceof Letter) {
            return self::BASE_PRICE;
        }

        return self::BASE_PRICE + (int) ($parcel->weight() * self::PER_KILO);
    }

    protected function taken(Package $parcel): void
    {
        $this->stamps += \Hollow\Parcel\stamps_for($this->price($parcel));
    }
}

#[Serves('SE')]
final class Courier extends Queueing
{
    private ?\Closure $onTaken = null;

    public function price(Package $parcel): int
    {
        return parent::BASE_PRICE * 2 + $parcel->volume();
    }

    public function whenTaken(callable $callback): static
    {
        $this->onTaken = $callback(...);

        return $this;
    }

    protected function taken(Package $parcel): void
    {
        ($this->onTaken ?? fn () => null)($parcel);
    }
}
