<?php

declare(strict_types=1);

namespace Hollow\Parcel;

use Hollow\Parcel\Carrier\Carrier;
use Hollow\Parcel\Model as M;

const GRAMS = 1000, STAMP = 15;
const MAX_WEIGHT = 30 * GRAMS;

function grams(float $kilos): int
{
    return (int) round($kilos * GRAMS);
}

function stamps_for(int $price): int
{
    if ($price <= 0) {
        return 0;
    }

    return 1 + stamps_for($price - STAMP);
}

if (!function_exists('Hollow\Parcel\describe')) {
    function describe(M\Labelled $thing, string ...$notes): string
    {
        function joined(array $notes): string
        {
            return implode(', ', $notes);
        }

        return $thing->label() . ': ' . joined($notes);
    }
}

/** Finds the carrier that asks least. */
function cheapest(M\Parcel $parcel, Carrier ...$carriers): ?Carrier
{
    usort($carriers, fn (Carrier $a, Carrier $b) => $a->price($parcel) <=> $b->price($parcel));

    return $carriers[0] ?? null;
}
