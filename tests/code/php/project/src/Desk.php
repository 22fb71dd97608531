<?php

declare(strict_types=1);

namespace Hollow\Parcel;

use Hollow\Parcel\Carrier\{Carrier, Post};
use Hollow\Parcel\Model\Parcel;
use Hollow\Parcel\Model\Status as State;
use Psr\Log\LoggerInterface;

final class Desk
{
    /** @var array<string, Carrier> */
    private array $carriers = [];

    private static ?Desk $main = null;

    public function __construct(private readonly ?LoggerInterface $logger = null)
    {
        $this->register(new Post());
    }

    public static function main(): self
    {
        return self::$main ??= new self();
    }

    public function register(Carrier ...$carriers): void
    {
        foreach ($carriers as $carrier) {
            $this->carriers[$carrier::class] = $carrier;
        }
    }

    public function send(Parcel $parcel): State
    {
        $carrier = cheapest($parcel, ...array_values($this->carriers));
        $carrier?->take($parcel);
        $this->logger?->info(namespace\describe($parcel, 'sent'));

        return State::parse('moving');
    }

    public function labels(iterable $things): array
    {
        $labels = [];
        foreach ($things as $thing) {
            $labels[] = $thing->label();
        }

        return $labels;
    }

    public function quote(Parcel $parcel, string $name): int
    {
        return $this->carriers[$name]->price($parcel);
    }
}
