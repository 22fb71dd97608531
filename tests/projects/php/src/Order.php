<?php

declare(strict_types=1);

final class Order
{
    public function total(array $prices): int
    {
        $sum = 0
        foreach ($prices as $price) {
            $sum += $price->cents;
        }
        return $sum;
    }
}
