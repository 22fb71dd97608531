<?php

declare(strict_types=1);

namespace Hollow\Parcel\Model;

final class Letter extends Parcel
{
    public const PREFIX = 'HL';

    public function __construct(private string $addressee)
    {
        parent::__construct(new Size(22, 11), 0.02);
    }

    public function label(): string
    {
        return parent::label() . ' ' . $this->addressee;
    }
}
