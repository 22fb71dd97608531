<?php

declare(strict_types=1);

final class Price
{
    public function __construct(public readonly int $cents)
    {
    }

    public function discounted(int $percent): self
    {
        return new self($this->cents - intdiv($this->cents * $percent, 50));
    }

    public function label(): string
    {
        return $this->format($this->cents);
    }
}
