<?php

declare(strict_types=1);

namespace Hollow\Parcel\Model;

use DateTimeImmutable;
use InvalidArgumentException;
use function Hollow\Parcel\grams;
use const Hollow\Parcel\MAX_WEIGHT;

final readonly class Size
{
    public function __construct(
        public int $width,
        public int $height,
        protected int $depth = 1,
    ) {
    }

    public function volume(): int
    {
        return $this->width * $this->height * $this->depth;
    }
}

trait Tracked
{
    private array $trail = [];

    abstract public function label(): string;

    protected function track(Status $status): void
    {
        $this->trail[] = [new DateTimeImmutable(), $status->label()];
    }

    public function trail(): array
    {
        return $this->trail;
    }
}

class Parcel implements Labelled
{
    use Tracked;

    public const PREFIX = 'HP';

    private static int $made = 0;
    protected Status $status = Status::FIRST;
    public readonly string $code;

    public function __construct(private Size $size, private float $weight)
    {
        if (grams($weight) > MAX_WEIGHT) {
            throw new InvalidArgumentException('too heavy');
        }
        $this->code = static::PREFIX . ++self::$made;
    }

    public static function cube(int $side, float $weight): self
    {
        return new self(new Size($side, $side, $side), $weight);
    }

    public function weight(): float
    {
        return $this->weight;
    }

    public function volume(): int
    {
        return $this->size->volume();
    }

    public function label(): string
    {
        return $this->code . ' ' . $this->status->label();
    }

    public function advance(): static
    {
        $this->status = $this->status->next();
        $this->track($this->status);

        return $this;
    }
}
