<?php

declare(strict_types=1);

namespace Hollow\Parcel\Model;

interface Labelled
{
    public function label(): string;
}

enum Status: string implements Labelled
{
    case Waiting = 'waiting';
    case Moving = 'moving';
    case Delivered = 'delivered';

    public const FIRST = self::Waiting;

    public function label(): string
    {
        return ucfirst($this->value);
    }

    public function next(): self
    {
        return match ($this) {
            self::Waiting => self::Moving,
            Status::Moving, static::Delivered => self::Delivered,
        };
    }

    public static function parse(string $text): static
    {
        return self::tryFrom($text) ?? self::FIRST;
    }
}
