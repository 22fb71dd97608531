<?php

declare(strict_types=1);

namespace Hollow\Parcel\Attribute;

use Attribute;

#[Attribute(Attribute::TARGET_CLASS)]
final class Serves
{
    /** @var list<string> */
    public array $countries;

    public function __construct(string ...$countries)
    {
        $this->countries = $countries;
    }
}
