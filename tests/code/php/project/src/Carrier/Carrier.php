<?php

declare(strict_types=1);

namespace Hollow\Parcel\Carrier;

use Hollow\Parcel\Model\Parcel;

interface Carrier extends \Countable
{
    public const BASE_PRICE = 300;

    public function price(Parcel $parcel): int;

    public function take(Parcel $parcel): void;
}

abstract class Queueing implements Carrier
{
    /** @var Parcel[] */
    protected array $queue = [];

    public function take(Parcel $parcel): void
    {
        $this->queue[] = $parcel->advance();
        $this->taken($parcel);
    }

    public function count(): int
    {
        return count($this->queue);
    }

    abstract protected function taken(Parcel $parcel): void;
}
