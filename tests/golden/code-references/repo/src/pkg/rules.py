"""The rules of prices."""

import decimal

class Rule1:
    def apply(self, price):
        return price + 1

class Rule2:
    def apply(self, price):
        return price + 2

class Rule3:
    def apply(self, price):
        return price + 3

class Rule4:
    def apply(self, price):
        return price + 4

class Rule5:
    def apply(self, price):
        return price + 5

class Rule6:
    def apply(self, price):
        return price + 6

class Rule7:
    def apply(self, price):
        return price + 7

class Rule8:
    def apply(self, price):
        return price + 8

class Rule9:
    def apply(self, price):
        return price + 9

class Rule10:
    def apply(self, price):
        return price + 10

class Rule11:
    def apply(self, price):
        return price + 11

class Rule12:
    def apply(self, price):
        return price + 12

class Rule13:
    def apply(self, price):
        return price + 13

class Rule14:
    def apply(self, price):
        return price + 14

class Rule15:
    def apply(self, price):
        return price + 15

class Rule16:
    def apply(self, price):
        return price + 16

class Rule17:
    def apply(self, price):
        return price + 17

class Rule18:
    def apply(self, price):
        return price + 18

class Rule19:
    def apply(self, price):
        return price + 19

class Rule20:
    def apply(self, price):
        return price + 20

class Rule21:
    def apply(self, price):
        return price + 21

class Rule22:
    def apply(self, price):
        return price + 22

class Rule23:
    def apply(self, price):
        return price + 23

class Rule24:
    def apply(self, price):
        return price + 24

class Rule25:
    def apply(self, price):
        return price + 25

class Rule26:
    def apply(self, price):
        return price + 26

class Rule27:
    def apply(self, price):
        return price + 27

class Rule28:
    def apply(self, price):
        return price + 28

class Rule29:
    def apply(self, price):
        return price + 29

class Rule30:
    def apply(self, price):
        return price + 30

class Rule31:
    def apply(self, price):
        return price + 31

class Rule32:
    def apply(self, price):
        return price + 32

class Rule33:
    def apply(self, price):
        return price + 33

class Rule34:
    def apply(self, price):
        return price + 34

class Rule35:
    def apply(self, price):
        return price + 35

class Rule36:
    def apply(self, price):
        return price + 36

class Rule37:
    def apply(self, price):
        return price + 37

class Rule38:
    def apply(self, price):
        return price + 38

class Rule39:
    def apply(self, price):
        return price + 39

class Rule40:
    def apply(self, price):
        return price + 40
